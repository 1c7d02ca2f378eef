// Who signs in through single sign-on, as the provider says it.

/** What a provider has proved of a person (specification 2.8, 2.9). */
export interface Identity {
  /** The address, in lower case. Its domain is that of the configuration: the provider has seen to it. */
  readonly email: string;
  /** What the provider calls the person, as a beginning for a username: text of any kind. */
  readonly username?: string;
  /** The name of the person, for people. */
  readonly displayName?: string;
  /** Ids of the person that no one else ever gets, by the name of what holds them (`entryUUID`): an address may pass on to somebody else. */
  readonly lastingIds?: Readonly<Record<string, string>>;
  /** The names of the groups, as the provider gives them, each once. Absent: the provider told none at all. */
  readonly groups?: readonly string[];
  /** The names of the attributes that came, where none of them was that of groups: for administrators. */
  readonly otherAttributes?: readonly string[];
  /** RFC 3339: when the provider wants the session to have ended. */
  readonly sessionEndsAt?: string;
}
