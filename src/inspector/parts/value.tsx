import { idsOf } from '../document.ts'
import { usePage } from '../page.ts'

/** A value of a resource: a reference is a link to what it names. */
export function Value({ value }: { value: unknown }) {
  const page = usePage()
  if (value === null || value === undefined || value === '') return <span class="dim">–</span>
  if (typeof value === 'object') {
    const { id, uri } = value as { id?: string; uri?: string } // Of a reference; others have none.
    if (!id || !uri) return <code>{JSON.stringify(value)}</code>
    const family = page.service?.families.find((each) =>
      idsOf(each.itemPath, pathOf(uri).slice(page.connection.base.length)),
    )
    return family ? <a href={`#resources/${family.name}/${id}`}>{id}</a> : <>{id}</>
  }
  return <>{String(value)}</>
}

function pathOf(uri: string): string {
  try {
    return new URL(uri).pathname
  } catch {
    return ''
  }
}
