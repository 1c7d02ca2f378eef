// Names of SAML 2.0 that what we write has in common.

/** NameID: the address of the person (SAML core 8.3.2). */
export const emailFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** Responses come by a form that the browser posts (SAML bindings 3.5). */
export const postBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
