import type { SentEvent } from '../../generated/controls.ts'
import { useControl } from '../live.ts'
import { formatCount, formatTime } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Fold, IdLink } from '../shared/layout.tsx'
import { Table } from '../shared/table.tsx'

const MAX_SHOWN = 100

/** The last events of the account, the newest first, if there are any. */
export function SentEvents() {
  const events = useControl<readonly SentEvent[]>('/sent-events')
  if (events.state !== 'known' || events.value.length === 0) return null
  return (
    <Fold title={`${formatCount(events.value.length)} sent events`}>
      <Table
        rows={[...events.value].reverse().slice(0, MAX_SHOWN)}
        columns={[
          { name: 'Type', cell: ({ event_type }) => event_type },
          { name: 'At', cell: ({ event_timestamp }) => formatTime(event_timestamp) },
          {
            name: 'For',
            cell: ({ destination }) => <IdLink to={`resources/event_destinations/${destination}`} id={destination} />,
          },
          {
            name: 'Delivery',
            cell: ({ delivery, problem }) => (problem === null ? delivery : `${delivery}: ${problem}`),
          },
          {
            name: 'Object',
            cell: ({ object }) => (
              <Fold title="Show">
                <Json value={object} />
              </Fold>
            ),
          },
        ]}
      />
    </Fold>
  )
}
