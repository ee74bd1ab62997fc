/** Says what is wrong with a command line, a variable of the environment or a config file, in one line. */
export class UsageError extends Error {}
