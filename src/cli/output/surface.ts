// What a format may know beside the report that it renders.

/** The surroundings of a rendering. */
export interface Surface {
  /** Whether people read it where colours can be seen. */
  readonly colours: boolean;
  /** The working directory, absolute. */
  readonly cwd: string;
  /** One line a report, because one follows another; formats that cannot do that stay as they are. */
  readonly lines?: boolean;
  /** The plan that was carried out was shown before, in the same place. */
  readonly planShown?: boolean;
  /** Weir's own version. */
  readonly version: string;
}
