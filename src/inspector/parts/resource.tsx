import { useEffect, useState } from 'preact/hooks'
import { ErrorAnswer } from '../connection.ts'
import { useLive } from '../live.ts'
import { usePage } from '../page.ts'
import { filledPath, idsOf, type Service, type ServiceFamily } from '../service.ts'
import { Button } from '../shared/controls.tsx'
import { formatLabel } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Facts, Side } from '../shared/layout.tsx'
import { SchemaForm } from '../shared/schema-form.tsx'

interface ResourceProps {
  service: Service
  family: ServiceFamily
  ids: Readonly<Record<string, string>>
}

export function ResourceDetails({ service, family, ids }: ResourceProps) {
  const page = usePage()
  const [isChanging, setChanging] = useState(false)
  const { name, itemPath, update, remove, actions } = family
  const path = filledPath(itemPath, ids)
  const loaded = useLive(() => orNull(page.connection.service<Record<string, unknown>>('GET', path)), [path])
  const resource = loaded ?? {}
  const entries = Object.entries(resource)
  const act = (method: string, at: string) => void page.run(() => page.serve(method, at))
  return (
    <Side title={String(resource.domain ?? resource.id ?? Object.values(ids).join(' '))} back={`resources/${name}`}>
      {loaded === null && <p class="dim">There is none of that id.</p>}
      <div class="row">
        {update && (
          <Button kind="main" onClick={() => setChanging(!isChanging)}>
            {update.method === 'PUT' ? 'Set' : 'Change'}
          </Button>
        )}
        {loaded && remove && (
          <Button kind="danger" twice asking={`Delete this ${family.one}?`} onClick={() => act('DELETE', path)}>
            Delete
          </Button>
        )}
        {loaded &&
          actions.map((each) => (
            <Button key={each.name} twice onClick={() => act(each.method, filledPath(each.path, ids))}>
              {each.summary}
            </Button>
          ))}
        {loaded?.certificate_management_policy ? <a href={`#jobs/${ids.id}`}>Its domain page</a> : null}
      </div>
      {isChanging && update?.body && (
        <SchemaForm
          service={service}
          schema={update.body}
          current={resource}
          verb="Save"
          cancel={() => setChanging(false)}
          send={async (body) => {
            await page.serve(update.method, filledPath(update.path, ids), body)
            setChanging(false)
          }}
        />
      )}
      <Facts
        of={entries.flatMap(([field, value]) =>
          isLong(value) ? [] : [[<span title={field}>{formatLabel(field)}</span>, <Value value={value} />] as const],
        )}
      />
      {entries.map(([field, value]) =>
        isChain(value) ? (
          <Chain key={field} title={field} pem={value} />
        ) : (
          isLong(value) && <Json key={field} value={value} title={field} />
        ),
      )}
    </Side>
  )
}

function isChain(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('-----BEGIN CERT')
}

function isLong(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\n')
  return typeof value === 'object' && value !== null && !('uri' in value) && JSON.stringify(value).length > 40
}

async function orNull<T>(loading: Promise<T>): Promise<T | null> {
  try {
    return await loading
  } catch (error) {
    if (error instanceof ErrorAnswer && error.status === 404) return null
    throw error
  }
}

function Chain({ title, pem }: { title: string; pem: string }) {
  const page = usePage()
  const [certificates, setCertificates] = useState<readonly object[]>([])
  useEffect(() => {
    void page.run(async () => {
      setCertificates(await page.control('POST', '/certificates', { certificate_pem: pem }))
    })
  }, [pem])
  return (
    <>
      {certificates.map((certificate, index) => (
        <>
          <h3>
            Certificate {index + 1} of {certificates.length}
          </h3>
          <Facts of={Object.entries(certificate).map(([name, value]) => [name, <Value value={value} />])} />
        </>
      ))}
      <Json value={pem} title={title} />
    </>
  )
}

export function Value({ value }: { value: unknown }) {
  const page = usePage()
  if (value === null || value === undefined || value === '') return <span class="dim">–</span>
  const isList = Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string')
  if (isList) return <>{value.join(', ')}</>
  if (typeof value !== 'object') return <>{String(value)}</>
  const { id, uri } = value as { id?: string; uri?: string } // Of a reference; others have none.
  if (!id || !uri) return <code>{JSON.stringify(value)}</code>
  const path = URL.parse(uri)?.pathname.slice(page.connection.base.length) ?? ''
  const family = page.service?.families.find(({ itemPath }) => idsOf(itemPath, path))
  return family ? <a href={`#resources/${family.name}/${id}`}>{id}</a> : <>{id}</>
}
