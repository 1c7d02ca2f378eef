// SAML responses: whatever is done to a genuine one, the guard refuses it by one of its steps, or believes the very same.
import { guardResponse } from '../../../src/sso/saml/guard.ts';
import { attributes, expecting, posted, written } from '../../sso/saml/signer.ts';
import { gist, holds, type Target } from '../target.ts';

const xml = written({ attributes: attributes({ 'svc-roles': ['svc-core-member', 'svc-other-viewer'], uid: ['ann'] }) });
const usual = JSON.stringify(guardResponse(posted(xml), expecting()));

export const saml: Target = {
  words: [
    ...[
      '<!---->',
      '<![CDATA[x]]>',
      '<?x?>',
      '<!DOCTYPE x [<!ENTITY a "b">]>',
      '&#0;',
      '&a;',
      '&#x41;',
      ' ID="_assertion"',
      ' xml:id="_response"',
      '</',
      '/>',
    ],
    ...[
      '<saml:Assertion ID="_a">',
      '<ds:Signature>',
      '<ds:Reference URI="">',
      '<ds:Transform Algorithm="x"/>',
      'xmlns:saml="urn:x"',
      '<x>',
      '</x>',
      'xmlns="x"',
    ],
    ...[
      '<saml:NameID>eve@good.example</saml:NameID>',
      '<saml:Attribute Name="svc-roles">',
      '2026-11-21T12:00:00Z',
      '@good.example',
      '<saml:Audience>',
    ],
  ],
  seeds: () => [xml, written({ attributes: '' }), written({ inResponseTo: undefined })],
  mostMs: 3000,
  check: (input) => {
    const guarded = guardResponse(
      input.length > 0 && input[0] === 0x3c ? posted(input) : input.toString(),
      expecting(),
    );
    if (guarded.outcome === 'genuine') {
      holds(
        JSON.stringify(guarded) === usual || guarded.identity.email === 'ann@good.example',
        'somebody else was believed',
      );
      return 'genuine';
    }
    holds(guarded.step !== 'fault', `it could not be judged: ${guarded.reason}`);
    return `${guarded.step}: ${gist(guarded.reason)}`;
  },
};
