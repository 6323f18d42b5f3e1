# SPDX-License-Identifier: Apache-2.0
"""Certificates of every kind, made by the program openssl."""
import datetime
import subprocess

from network import PATIENCE

CONFIGURATION = """
[ca]
default_ca = authority
[authority]
database = {folder}/index.txt
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
unique_subject = no
policy = anything
x509_extensions = agent
[anything]
commonName = supplied
[req]
distinguished_name = nobody
[nobody]
[agent]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth,clientAuth
subjectKeyIdentifier = hash
subjectAltName = {names}
"""


def openssl(*arguments, check=True):
    return subprocess.run(["openssl", *map(str, arguments)], check=check, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=PATIENCE)


def moment(days):
    """A date some days from now, in openssl's format."""
    time = datetime.datetime.utcnow() + datetime.timedelta(days=days)
    return time.strftime("%Y%m%d%H%M%SZ")


def issue(folder, authority, name, host, first_day=-1, last_day=30):
    """A folder with a new agent.key and agent.crt, signed by the authority's folder or, without
    one, by itself."""
    folder.mkdir()
    (folder / "index.txt").touch()
    names = f"DNS:{name},IP:{host}"
    (folder / "openssl.cnf").write_text(CONFIGURATION.format(folder=folder, names=names))
    key, request, certificate = (folder / file for file in ["agent.key", "request", "agent.crt"])
    openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key)
    openssl("req", "-new", "-key", key, "-subj", f"/CN={name}", "-out", request,
            "-config", folder / "openssl.cnf")
    signer = (["-cert", authority / "ca.crt", "-keyfile", authority / "ca.key"] if authority
              else ["-selfsign", "-keyfile", key])
    openssl("ca", "-batch", "-notext", "-config", folder / "openssl.cnf", *signer,
            "-startdate", moment(first_day), "-enddate", moment(last_day), "-in", request,
            "-out", certificate)
    return folder
