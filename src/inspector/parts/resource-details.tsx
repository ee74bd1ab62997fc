import { useState } from 'preact/hooks'
import { Refused } from '../connection.ts'
import { filledPath, type Service, type ServiceFamily } from '../document.ts'
import { usePage } from '../page.ts'
import { Facts, Side } from '../shared/layout.tsx'
import { useLive } from '../shared/live.ts'
import { Button, Json } from '../shared/parts.tsx'
import { SchemaForm } from '../shared/schema-form.tsx'
import { Chain } from './chain.tsx'
import { Value } from './value.tsx'

/** One resource with all its fields; it is changed and deleted through the API. */
export function ResourceDetails({
  service,
  family,
  ids,
}: {
  service: Service
  family: ServiceFamily
  ids: Readonly<Record<string, string>>
}) {
  const page = usePage()
  const [isChanged, change] = useState(false)
  const { name, update, remove, actions } = family
  const path = filledPath(family.itemPath, ids)
  const ask = (method: string, at: string) => page.connection.service<Record<string, unknown>>(method, at)
  const shown = useLive(() => orNull(ask('GET', path)), [path])
  const resource = shown ?? {}
  const act = (method: string, at: string) => void page.doing(() => ask(method, at))
  const entries = Object.entries(resource)
  return (
    <Side title={String(resource.domain ?? resource.id ?? Object.values(ids).join(' '))} back={`resources/${name}`}>
      {shown === null && <p class="note">There is none of that id.</p>}
      <div class="row">
        {update && (
          <Button kind="main" onClick={() => change(!isChanged)}>
            {update.method === 'PUT' ? 'Set' : 'Change'}
          </Button>
        )}
        {shown && remove && (
          <Button kind="danger" twice onClick={() => act('DELETE', path)}>
            Delete
          </Button>
        )}
        {shown &&
          actions.map((each) => (
            <Button key={each.name} twice onClick={() => act(each.method, filledPath(each.path, ids))}>
              {each.summary}
            </Button>
          ))}
        {shown?.certificate_management_policy ? <a href={`#jobs/${ids.id}`}>Its job</a> : null}
      </div>
      {isChanged && update?.body && (
        <SchemaForm
          service={service}
          schema={update.body}
          given={resource}
          verb="Save"
          cancel={() => change(false)}
          send={async (body) => {
            await page.connection.service(update.method, path, body)
            change(false)
          }}
        />
      )}
      <Facts
        of={entries.flatMap(([field, value]) => (isLong(value) ? [] : [[field, <Value value={value} />] as const]))}
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

/** What was asked for, or null where there is none. */
async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null
    throw error
  }
}
