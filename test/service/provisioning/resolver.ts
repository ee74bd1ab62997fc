/** A zone as a tree of labels, which is read from the root (RFC 1034, 4.3.2; RFC 4592). */

export interface ZoneRecord {
  readonly name: string
  readonly type: 'CNAME' | 'A'
  readonly value: string
}

interface Node {
  readonly children: Map<string, Node>
  record?: ZoneRecord
}

export class Resolver {
  readonly #root: Node = { children: new Map() }

  constructor(records: readonly ZoneRecord[]) {
    for (const record of records) {
      let node = this.#root
      for (const label of record.name.split('.').reverse()) {
        const child = node.children.get(label) ?? { children: new Map() }
        node.children.set(label, child)
        node = child
      }
      node.record = record
    }
  }

  /** Returns the record for a name. If no label matches, `*` matches the rest. */
  find(name: string): ZoneRecord | undefined {
    let node = this.#root
    for (const label of name.split('.').reverse()) {
      const child = node.children.get(label)
      if (!child) return node.children.get('*')?.record
      node = child
    }
    return node.record
  }

  /** Returns the obstacle between a name and its target, in the words of the message; undefined if there is none. */
  findObstacle(name: string, target: string): string | undefined {
    const path = [name]
    for (;;) {
      const record = this.find(path.at(-1) as string)
      const description = record?.type === 'A' ? `an A record with the value ${record.value}` : 'no record'
      if (record?.type !== 'CNAME') {
        if (path.length === 1) return record ? description : `no record for ${name}`
        return `a CNAME record to ${path.slice(1).join(' -> ')}, which has ${description}`
      }
      if (record.value === target && path.length <= 8) return undefined
      const isLoop = path.includes(record.value)
      path.push(record.value)
      if (path.length > 9) return `a chain of more than 8 CNAME records: ${path.join(' -> ')}`
      if (isLoop) return `a loop of CNAME records: ${path.join(' -> ')}`
    }
  }
}
