# One answer of an identity provider that is pysaml2 with xmlsec1: JSON on stdin, the value of the field SAMLResponse on stdout.
import base64
import json
import os
import sys
import tempfile

from saml2 import BINDING_HTTP_REDIRECT
from saml2.authn_context import PASSWORD
from saml2.config import IdPConfig
from saml2.saml import NAMEID_FORMAT_EMAILADDRESS, NAME_FORMAT_URI, NameID
from saml2.server import Server

asked = json.load(sys.stdin)
folder = tempfile.mkdtemp()


def kept(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


server = Server(
    config=IdPConfig().load(
        {
            "entityid": asked["issuer"],
            "key_file": kept("key.pem", asked["key"]),
            "cert_file": kept("certificate.pem", asked["certificate"]),
            "xmlsec_binary": asked["xmlsec"],
            "metadata": {"local": [kept("peer.xml", asked["metadata"])]},
            "service": {
                "idp": {
                    "endpoints": {"single_sign_on_service": [(asked["signOnUrl"], BINDING_HTTP_REDIRECT)]},
                    "policy": {"default": {"lifetime": {"minutes": 5}, "name_form": NAME_FORMAT_URI}},
                    "name_id_format": [NAMEID_FORMAT_EMAILADDRESS],
                }
            },
        }
    )
)
request = server.parse_authn_request(asked["request"], BINDING_HTTP_REDIRECT)
answer = server.create_authn_response(
    asked["attributes"],
    name_id=NameID(format=NAMEID_FORMAT_EMAILADDRESS, text=asked["email"]),
    authn={"class_ref": PASSWORD, "authn_auth": asked["issuer"]},
    **server.response_args(request.message),
    **asked["options"],
)
print(base64.b64encode(str(answer).encode()).decode())
