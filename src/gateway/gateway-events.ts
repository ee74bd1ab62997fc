import type { Gateway } from './gateway.ts'
import { inspected } from './inspected.ts'

/** An event as it is sent: a part of a stream of server-sent events, or a message of a WebSocket. */
export function eventText(event: string, value: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`
}

/** How things stand, which everyone who listens hears first. By asking for it, what has become due happens. */
export function overviewEvent(gateway: Gateway): string {
  return eventText('overview', inspected(gateway).overview())
}

/** Tells what happens in a gateway: each `commit`, each `request`, and that the journal was `emptied`. Answers what ends that. */
export function hearEvents(gateway: Gateway, tell: (event: string, value: unknown) => void): () => void {
  const endCommits = gateway.subscribe((commit) => tell('commit', commit))
  const endRequests = gateway.requests.subscribe((entry) => {
    if (entry) tell('request', entry)
    else tell('emptied', {})
  })
  return () => {
    endCommits()
    endRequests()
  }
}
