const PROVISIONING = /^ {2}provisioning of (\S+) \((\w+)\):/

/** Returns a gateway's report that begins with the domains that a text names by their names or ids. */
export function reportAbout(text: string, report: string): string {
  const [head, ...parts] = report.split(/\n(?= {2}\S)/)
  const isAbout = (part: string) => {
    const [, ...names] = PROVISIONING.exec(part) ?? []
    return names.some((name) => text.includes(name))
  }
  return [head, ...parts.filter(isAbout), ...parts.filter((part) => !isAbout(part))].join('\n')
}
