import type { SentEvent } from '../../generated/controls.ts'
import { useControl } from '../live.ts'
import { formatCount, formatCounted, formatTime } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Known } from '../shared/known.tsx'
import { Fold, IdLink } from '../shared/layout.tsx'
import { Table } from '../shared/table.tsx'

const MAX_SHOWN = 100

/** The most recent events of the account, newest first, if any. */
export function SentEvents() {
  return (
    <div class="events">
      <Known of={useControl<readonly SentEvent[]>('/sent-events')}>
        {(all) => all.length > 0 && <EventTable all={all} />}
      </Known>
    </div>
  )
}

function EventTable({ all }: { all: readonly SentEvent[] }) {
  const count = formatCounted(all.length, 'sent event')
  return (
    <Fold title={all.length > MAX_SHOWN ? `The newest ${formatCount(MAX_SHOWN)} of ${count}` : count}>
      <Table
        rows={all.toReversed().slice(0, MAX_SHOWN)}
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
