import { useState } from 'preact/hooks'
import { idsIn, type Service, type ServiceFamily } from '../document.ts'
import { Form, Send, Text } from '../shared/inputs.tsx'
import { Split } from '../shared/layout.tsx'
import { Empty, Field } from '../shared/parts.tsx'
import { ResourceDetails } from './resource-details.tsx'

/** A family without a list: one resource is looked at by the ids in its path. */
export function Lookup({ service, family }: { service: Service; family: ServiceFamily }) {
  const [ids, setIds] = useState<Readonly<Record<string, string>>>({})
  const [chosen, choose] = useState<typeof ids | undefined>(undefined)
  return (
    <Split
      side={chosen && <ResourceDetails key={JSON.stringify(chosen)} service={service} family={family} ids={chosen} />}
    >
      <Empty title="There is no list of these.">
        {family.description} Say which one, declared or not yet:
        <Form kind="fields" act={() => choose(ids)}>
          {idsIn(family.itemPath).map((name) => (
            <Field key={name} label={name}>
              <Text label={name} required value={ids[name] ?? ''} set={(id) => setIds({ ...ids, [name]: id })} />
            </Field>
          ))}
          <div class="row">
            <Send>Look</Send>
          </div>
        </Form>
      </Empty>
    </Split>
  )
}
