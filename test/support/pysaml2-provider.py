# An identity provider of pysaml2: reads what is asked as JSON, and answers signed responses, by name.
import json
import sys

from saml2.config import IdPConfig
from saml2.server import Server
from saml2 import BINDING_HTTP_REDIRECT, saml, xmldsig
from saml2.saml import NameID
asked = json.load(sys.stdin)
config = IdPConfig().load({
    "entityid": asked["issuer"],
    "service": {"idp": {
        "endpoints": {"single_sign_on_service": [("http://127.0.0.1/sso", BINDING_HTTP_REDIRECT)]},
        "policy": {"default": {"lifetime": {"minutes": 5}, "attribute_restrictions": None}},
    }},
    "key_file": asked["key"],
    "cert_file": asked["certificate"],
    "xmlsec_binary": asked["xmlsec1"],
    "metadata": {"inline": [asked["metadata"]]},
})
server = Server(config=config)

responses = {}
for name, how in asked["responses"].items():
    responses[name] = str(server.create_authn_response(
        identity=how.get("identity", {}),
        in_response_to=asked["request"],
        destination=asked["acs"],
        sp_entity_id=asked["entityId"],
        name_id=NameID(
            format=how.get("format", saml.NAMEID_FORMAT_EMAILADDRESS),
            text=how.get("address", "Ann@Good.Example"),
        ),
        authn={"class_ref": saml.AUTHN_PASSWORD, "authn_auth": asked["issuer"]},
        sign_response=how.get("signResponse", True),
        sign_assertion=how.get("signAssertion", True),
        sign_alg=getattr(xmldsig, how.get("sign", "SIG_RSA_SHA256")),
        digest_alg=getattr(xmldsig, how.get("digest", "DIGEST_SHA256")),
    ))
json.dump(responses, sys.stdout)
