// SPDX-License-Identifier: Apache-2.0
// The report comes to life: values under the pointer, methods on and off, pictures and data saved.
// The page shows everything without this script, too.
"use strict";

(() => {
  const report = JSON.parse(document.getElementById("report").textContent);
  const svgSpace = "http://www.w3.org/2000/svg";

  // --- small makers -------------------------------------------------------------------------

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  const shape = (name, attributes) => {
    const made = document.createElementNS(svgSpace, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };

  const button = (text, label, action) => {
    const made = element("button", { type: "button", textContent: text, title: label });
    made.setAttribute("aria-label", label);
    made.addEventListener("click", action);
    return made;
  };

  const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

  // --- numbers ------------------------------------------------------------------------------

  const signed = (text) => text.replace("-", "\u2212");

  const numberText = (value, panel) =>
    signed(panel.isLogarithmic ? String(Number(value.toPrecision(3))) : value.toFixed(panel.decimals));

  const valueText = (value, error, panel) =>
    isNumber(error) && error > 0
      ? `${numberText(value, panel)} ± ${numberText(error, panel)}`
      : numberText(value, panel);

  // --- a panel and its geometry -------------------------------------------------------------

  const readPanel = (figure) => {
    const svg = figure.querySelector("svg.chart");
    const [left, top, right, bottom] = svg.dataset.plot.split(" ").map(Number);
    const [low, high] = svg.dataset.range.split(" ").map(Number);
    return {
      figure, svg, left, top, right, bottom, low, high,
      plot: figure.querySelector(".plot"),
      inset: Number(svg.dataset.inset),
      steps: Number(svg.dataset.steps),
      isLogarithmic: svg.dataset.scale === "log",
      decimals: Number(figure.dataset.decimals),
      quantity: figure.dataset.quantity,
      study: report.figures[Number(figure.dataset.figure)].studies[Number(figure.dataset.study)],
    };
  };

  const placeOfStep = (panel, step) => {
    const share = panel.steps === 1 ? 0.5 : (step - 1) / (panel.steps - 1);
    return panel.left + panel.inset + (panel.right - panel.left - 2 * panel.inset) * share;
  };

  const placeOfValue = (panel, value) => {
    const share = panel.isLogarithmic
      ? Math.log(value / panel.low) / Math.log(panel.high / panel.low)
      : (value - panel.low) / (panel.high - panel.low);
    return panel.bottom - (panel.bottom - panel.top) * share;
  };

  const stepAt = (panel, clientX) => {
    const box = panel.svg.getBoundingClientRect();
    const x = ((clientX - box.left) / box.width) * panel.svg.viewBox.baseVal.width;
    const first = placeOfStep(panel, 1);
    const width = Math.max(placeOfStep(panel, panel.steps) - first, 1);
    const step = 1 + Math.round(((x - first) / width) * (panel.steps - 1));
    return Math.min(Math.max(step, 1), panel.steps);
  };

  const parts = (panel, key) =>
    [...panel.svg.querySelectorAll("[data-key]")].filter((part) => part.dataset.key === key);

  const isShown = (panel, key) => parts(panel, key).some((part) => !part.classList.contains("is-off"));

  // The methods with a value at a step, highest first.
  const valuesAt = (panel, step) => {
    const values = [];
    for (const method of panel.study.methods) {
      const across = method.is_offline && panel.quantity === "curve";
      const series = method[panel.quantity];
      const value = across ? method.final_score.mean : series.mean[step - 1];
      const error = across ? method.final_score.standard_error : series.standard_error[step - 1];
      if (isNumber(value) && isShown(panel, method.key)) values.push({ method, value, error });
    }
    return values.sort((a, b) => b.value - a.value);
  };

  // --- values under the pointer -------------------------------------------------------------

  const sampleOf = (panel, key) => {
    const line = parts(panel, key).find((part) => part.classList.contains("series"));
    const colour = [...line.classList].find((name) => /^c\d$/.test(name));
    const svg = shape("svg", { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" });
    svg.append(shape("circle", { class: `dot ${colour}`, cx: 6, cy: 6, r: 5 }));
    return { svg, colour };
  };

  const showStep = (panel, step) => {
    hideStep(panel);
    panel.step = step;
    const values = valuesAt(panel, step);
    const x = placeOfStep(panel, step);
    const marks = shape("g", { class: "marks" });
    marks.append(shape("line", { class: "crosshair", x1: x, x2: x, y1: panel.top, y2: panel.bottom }));
    const rows = element("tbody");
    for (const { method, value, error } of values) {
      const { svg, colour } = sampleOf(panel, method.key);
      const y = placeOfValue(panel, value);
      if (y >= panel.top && y <= panel.bottom) {
        marks.append(shape("circle", { class: `dot ${colour}`, cx: x, cy: y, r: 4.5 }));
      }
      rows.append(element("tr", {}, element("td", {}, svg), element("td", { textContent: method.label }),
        element("td", { textContent: valueText(value, error, panel) })));
    }
    panel.svg.append(marks);
    panel.marks = marks;
    panel.tooltip = element("div", { className: "tooltip" },
      element("table", {}, element("caption", { textContent: `step ${step}` }), rows));
    panel.tooltip.setAttribute("role", "status");
    panel.plot.append(panel.tooltip);
    placeTooltip(panel, x);
  };

  // Beside the crosshair, on the side with more room, and never outside the page.
  const placeTooltip = (panel, x) => {
    const width = panel.plot.clientWidth;
    const at = (x / panel.svg.viewBox.baseVal.width) * width;
    const { offsetWidth, offsetHeight } = panel.tooltip;
    const left = at + 14 + offsetWidth <= width ? at + 14 : at - 14 - offsetWidth;
    panel.tooltip.style.left = `${Math.max(0, Math.min(left, width - offsetWidth))}px`;
    panel.tooltip.style.top = `${Math.max(0, (panel.plot.clientHeight - offsetHeight) / 2)}px`;
  };

  const hideStep = (panel) => {
    panel.marks?.remove();
    panel.tooltip?.remove();
    panel.marks = panel.tooltip = undefined;
  };

  const moveByKey = (panel, event) => {
    const step = panel.step ?? 0;
    const targets = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 1, End: panel.steps };
    if (event.key === "Escape") hideStep(panel);
    if (!(event.key in targets)) return;
    event.preventDefault();
    showStep(panel, Math.min(Math.max(targets[event.key], 1), panel.steps));
  };

  const addHover = (panel) => {
    panel.svg.append(shape("rect", { class: "pointer", fill: "none", "pointer-events": "all", x: panel.left, y: panel.top,
      width: panel.right - panel.left, height: panel.bottom - panel.top }));
    const pointer = panel.svg.querySelector(".pointer");
    const show = (event) => showStep(panel, stepAt(panel, event.clientX));
    pointer.addEventListener("pointermove", show);
    pointer.addEventListener("pointerdown", show);
    pointer.addEventListener("pointerleave", () => hideStep(panel));
    panel.plot.tabIndex = 0;
    panel.plot.addEventListener("keydown", (event) => moveByKey(panel, event));
    panel.plot.addEventListener("blur", () => hideStep(panel));
  };

  // --- saving -------------------------------------------------------------------------------

  const saveBlob = (blob, name) => {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  // The picture as it was drawn, light and without what this script added; hidden methods stay out.
  const svgText = (panel) => {
    const copy = panel.svg.cloneNode(true);
    copy.querySelectorAll(".marks, .pointer, .is-off").forEach((part) => part.remove());
    return new XMLSerializer().serializeToString(copy) + "\n";
  };

  const svgBlob = (panel) => new Blob([svgText(panel)], { type: "image/svg+xml" });

  const pngBlob = async (panel, scale = 3) => {
    const address = URL.createObjectURL(svgBlob(panel));
    try {
      const image = new Image();
      image.src = address;
      await image.decode();
      const { width, height } = panel.svg.viewBox.baseVal;
      const canvas = element("canvas", { width: width * scale, height: height * scale });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      return await new Promise((done) => canvas.toBlob(done, "image/png"));
    } finally {
      URL.revokeObjectURL(address);
    }
  };

  const addSaving = (panel) => {
    const name = panel.figure.dataset.file;
    panel.figure.prepend(element("div", { className: "save" },
      button("SVG", "Save this panel as SVG", () => saveBlob(svgBlob(panel), `${name}.svg`)),
      button("PNG", "Save this panel as PNG", async () => saveBlob(await pngBlob(panel), `${name}.png`))));
  };

  const addDataSaving = () => {
    const text = JSON.stringify(report, null, 1) + "\n";
    const save = () => saveBlob(new Blob([text], { type: "application/json" }), "report.json");
    document.getElementById("origin").append(element("p", { className: "downloads" },
      button("Save all numbers (JSON)", "Save all numbers of this page as JSON", save)));
  };

  // --- methods on and off -------------------------------------------------------------------

  const setFocus = (panels, key) => {
    for (const panel of panels) {
      panel.svg.querySelectorAll(".is-focus").forEach((part) => part.classList.remove("is-focus"));
      const focused = key === undefined ? [] : parts(panel, key);
      focused.forEach((part) => part.classList.add("is-focus"));
      panel.figure.classList.toggle("has-focus", focused.length > 0);
    }
  };

  const makeToggle = (item, panels) => {
    const key = item.dataset.key;
    const toggle = element("button", { type: "button", title: "Show or hide" }, ...item.childNodes);
    toggle.setAttribute("aria-pressed", "true");
    toggle.addEventListener("click", () => {
      const shown = toggle.getAttribute("aria-pressed") !== "true";
      toggle.setAttribute("aria-pressed", String(shown));
      for (const panel of panels) {
        hideStep(panel);
        parts(panel, key).forEach((part) => part.classList.toggle("is-off", !shown));
      }
    });
    toggle.addEventListener("pointerenter", () => setFocus(panels, key));
    toggle.addEventListener("pointerleave", () => setFocus(panels));
    item.append(toggle);
  };

  // --- start --------------------------------------------------------------------------------

  const panels = [...document.querySelectorAll("figure.panel")].map(readPanel);
  for (const panel of panels) {
    addHover(panel);
    addSaving(panel);
  }
  for (const legend of document.querySelectorAll(".legend")) {
    const section = legend.closest("section");
    const own = panels.filter((panel) => section.contains(panel.figure));
    legend.querySelectorAll("li").forEach((item) => makeToggle(item, own));
  }
  addDataSaving();
})();
