import { useState } from 'preact/hooks'
import type { Timelines } from '../../views/timelines.ts'
import { usePage } from '../page.ts'
import { Choice, Search } from '../shared/inputs.tsx'
import { inWords, Side, Split } from '../shared/layout.tsx'
import { useLive } from '../shared/live.ts'
import { Chip, Empty } from '../shared/parts.tsx'
import { Windowed } from '../shared/windowed.tsx'
import { curlToCreate } from './curl.ts'
import { JobDetails } from './job-details.tsx'
import { Lane, toneOfState } from './lane.tsx'

const LANE_HEIGHT = 68

const STATES = ['provisioning', 'failing', 'issued', 'renewing', 'renewal failing', 'unmanaged']

/** The provisioning of all managed domains, a lane each. */
export function Jobs({ id }: { id: string }) {
  const page = usePage()
  const [name, setName] = useState('')
  const [state, setState] = useState('')
  const [scale, setScale] = useState('')
  const [{ first, count }, setWindow] = useState({ first: 0, count: 30 })
  const timelines = (query: Record<string, string>) =>
    page.ask<Timelines>('GET', `/timelines?${new URLSearchParams(query)}`)
  const query = { skip: String(first), limit: String(count), name, ...(state && { state }) }
  const answer = useLive(async () => ({ ...(await timelines(query)), first }), [first, count, name, state])
  const chosen = useLive(async () => (id ? (await timelines({ name: id })).timelines[0] : undefined), [id])
  if (!answer) return null
  return (
    <Split
      side={
        chosen && (
          <Side
            key={chosen.id}
            title={chosen.domain}
            mark={<Chip tone={toneOfState(chosen.state)}>{chosen.state}</Chip>}
            back="jobs"
          >
            <JobDetails job={chosen} />
          </Side>
        )
      }
    >
      <div class="tools">
        <Search what="domains" value={name} set={setName} />
        <Choice label="State" value={state} set={setState} values={STATES} none="every state" />
        <Choice label="Scale" value={scale} set={setScale} values={['logarithmic']} none="by order" />
        <span class="dim">{inWords(answer.total)}</span>
      </div>
      {answer.total === 0 && !name && !state ? (
        <Empty title="No managed domains yet." line={curlToCreate(page)}>
          Create one, with a certificate management policy:
        </Empty>
      ) : (
        <Windowed
          total={answer.total}
          rowHeight={LANE_HEIGHT}
          label="Domains"
          onWindow={setWindow}
          row={(index) => {
            const job = answer.timelines[index - answer.first]
            return <Lane key={job?.id ?? index} job={job} isByAge={scale !== ''} isChosen={job?.id === id} />
          }}
        />
      )}
    </Split>
  )
}
