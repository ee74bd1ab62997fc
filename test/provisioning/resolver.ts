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
  answer(name: string): ZoneRecord | undefined {
    let node = this.#root
    for (const label of name.split('.').reverse()) {
      const child = node.children.get(label)
      if (!child) return node.children.get('*')?.record
      node = child
    }
    return node.record
  }

  /** Returns the obstacle between a name and its target, in the words of the message; undefined if there is none. */
  finding(name: string, target: string): string | undefined {
    const way = [name]
    for (;;) {
      const record = this.answer(way.at(-1) as string)
      const found = record?.type === 'A' ? `an A record with the value ${record.value}` : 'no record'
      if (record?.type !== 'CNAME') {
        if (way.length === 1) return record ? found : `no record for ${name}`
        return `a CNAME record to ${way.slice(1).join(' -> ')}, which has ${found}`
      }
      if (record.value === target && way.length <= 8) return undefined
      const isLoop = way.includes(record.value)
      way.push(record.value)
      if (way.length > 9) return `a chain of more than 8 CNAME records: ${way.join(' -> ')}`
      if (isLoop) return `a loop of CNAME records: ${way.join(' -> ')}`
    }
  }
}
