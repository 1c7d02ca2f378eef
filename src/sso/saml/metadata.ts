// What an identity provider is told of us.
import samlify from 'samlify';
import type { SamlAddresses } from '../../core/model/saml-addresses.ts';
import { emailFormat, postBinding } from './names.ts';

/**
 * The metadata of the service provider that a configuration is (SAML metadata 2.4.4), as XML: assertions must be signed, people are named by email
 * address, and responses are posted to the ACS.
 */
export function serviceProviderMetadata({ entityId, acsUrl }: Pick<SamlAddresses, 'acsUrl' | 'entityId'>): string {
  const provider = samlify.ServiceProvider({
    entityID: entityId,
    authnRequestsSigned: false,
    wantAssertionsSigned: true,
    nameIDFormat: [emailFormat],
    assertionConsumerService: [{ Binding: postBinding, Location: acsUrl, isDefault: true }],
  });
  return provider.getMetadata();
}
