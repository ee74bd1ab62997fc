import { useState } from 'preact/hooks'
import type { Service, ServiceFamily } from '../document.ts'
import { usePage } from '../page.ts'
import { Search } from '../shared/inputs.tsx'
import { inWords, Side, Split } from '../shared/layout.tsx'
import { useLive } from '../shared/live.ts'
import { Button, Empty } from '../shared/parts.tsx'
import { SchemaForm } from '../shared/schema-form.tsx'
import { Windowed } from '../shared/windowed.tsx'
import { asCurl } from './curl.ts'
import { listed, type Resource } from './listed.ts'
import { Lookup } from './lookup.tsx'
import { ResourceDetails } from './resource-details.tsx'
import { Value } from './value.tsx'

const ROW_HEIGHT = 30

/** The resources of the gateway, a table per family. */
export function Resources({ name, id }: { name: string; id: string }) {
  const page = usePage()
  const service = page.service
  const family = service?.families.find((each) => each.name === name) ?? service?.families[0]
  if (!service || !family) return null
  const Shown = family.list ? Family : Lookup
  return (
    <div class="with-menu">
      <nav class="menu" aria-label="Families">
        {service.families.map((each) => (
          <a key={each.name} href={`#resources/${each.name}`} aria-current={each === family ? 'page' : undefined}>
            {each.name.replaceAll('_', ' ')} <span class="dim">{inWords(page.overview?.counts[each.name] ?? 0)}</span>
          </a>
        ))}
      </nav>
      <Shown key={family.name} service={service} family={family} id={id} />
    </div>
  )
}

function Family({ service, family, id }: { service: Service; family: ServiceFamily; id: string }) {
  const page = usePage()
  const { name, create } = family
  const [text, search] = useState('')
  const [wanted, want] = useState(0)
  const [isNew, begin] = useState(false)
  const answer = useLive(() => listed(page.connection, family, text, wanted), [text, wanted])
  const columns = columnsOf(service, family)
  const style = { gridTemplateColumns: `17rem repeat(${columns.length}, minmax(10.5rem, 1fr))` }
  const rows = answer?.rows ?? []
  const making = isNew && create?.body && (
    <Side title={create.summary} back={`resources/${name}`}>
      <SchemaForm
        service={service}
        schema={create.body}
        verb="Create"
        cancel={() => begin(false)}
        send={async (body) => {
          const made = await page.connection.service<Resource>('POST', create.path, body)
          begin(false)
          page.go(`resources/${name}/${made.id}`)
        }}
      />
    </Side>
  )
  return (
    <Split side={making || (id && <ResourceDetails key={id} service={service} family={family} ids={{ id }} />)}>
      <div class="tools">
        <Search what={name.replaceAll('_', ' ')} value={text} set={search} />
        {create && (
          <Button kind="main" onClick={() => begin(true)}>
            Create
          </Button>
        )}
      </div>
      {answer && rows.length === 0 ? (
        <Empty
          title={text ? 'None is like that.' : 'None yet.'}
          line={text || !create ? undefined : asCurl(page, example(create.path))}
        >
          {family.description}
        </Empty>
      ) : (
        <div class="table">
          <div class="line head" style={style}>
            <span>id</span>
            {columns.map((each) => (
              <span key={each}>{each}</span>
            ))}
          </div>
          <Windowed
            total={rows.length}
            rowHeight={ROW_HEIGHT}
            label={name}
            onWindow={({ first, count }) => answer?.hasMore && want(first + 2 * count)}
            row={(index) => {
              const each = rows[index] as Resource // One of the total.
              return (
                <div key={each.id} class={`line ${each.id === id ? 'chosen' : ''}`} role="listitem" style={style}>
                  <a href={`#resources/${name}/${each.id}`}>{each.id}</a>
                  {columns.map((column) => (
                    <span key={column}>
                      <Value value={each[column]} />
                    </span>
                  ))}
                </div>
              )
            }}
          />
        </div>
      )}
    </Split>
  )
}

/** What most families have; it comes last. */
const USUAL = ['created_at', 'description', 'metadata']

/** How many fields of a family's own are columns. */
const MOST_OWN = 4

/** The columns of a table: what has one short value, the most telling first. */
function columnsOf(service: Service, { fields }: ServiceFamily): string[] {
  const own = Object.keys(fields).filter((name) => {
    const { type, properties } = service.resolved(fields[name])
    const isPlain = type !== 'array' && (type !== 'object' || properties?.uri)
    return isPlain && !/^(id|uri|.*_pem)$/.test(name) && !USUAL.includes(name)
  })
  return [...own.slice(0, MOST_OWN), ...USUAL.filter((name) => name in fields)]
}

function example(path: string) {
  const request = path === '/reserved_domains' ? { domain: 'app.example.com' } : {}
  return { method: 'POST', path, query: '', request, operation: null }
}
