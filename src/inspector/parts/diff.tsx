import type { Change } from '../../operation/collection.ts'

/** One record's change: what was before, and what is after, field by field. */
export function Diff({ change: { collection, key, before, after } }: { change: Change }) {
  const [old, now] = [flat(before), flat(after)]
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => old[name] !== now[name])
  const what = before ? (after ? 'changed' : 'removed') : 'created'
  return (
    <div class="diff">
      <p>
        <b>{collection}</b> {key} <span class="dim">{what}</span>
      </p>
      <div class="scrolls" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>field</th>
              <th>before</th>
              <th>after</th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="old">{old[name] ?? ''}</td>
                <td class="new">{now[name] ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** The fields of a record with those inside them, by their paths. */
function flat(value: object | undefined, at = ''): Record<string, string> {
  const fields = Object.entries(value ?? {}).map(([name, each]): Record<string, string> => {
    const path = at ? `${at}.${name}` : name
    const isInner = typeof each === 'object' && each !== null && Object.keys(each).length > 0
    return isInner ? flat(each, path) : { [path]: typeof each === 'string' ? each : JSON.stringify(each) }
  })
  return Object.assign({}, ...fields)
}
