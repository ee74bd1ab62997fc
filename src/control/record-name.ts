/** The fields that identify a record to people, best first. */
const NAME_FIELDS = ['domain', 'name', 'match', 'hostports', 'url', 'addr', 'description']

/** Returns the name of a resource, such as its domain, or an empty string. */
export function findName(record: object): string {
  const fields: Record<string, unknown> = { ...record }
  const [found] = NAME_FIELDS.flatMap((name) => fields[name] || [])
  return typeof found === 'string' ? found : ''
}
