export type { AgentBehaviour, GatewayAgent } from './control/agent/index.ts'
export type { AgentTunnel } from './control/agent/resources.ts'
export type { AuthorityApi } from './control/authority.ts'
export type { Declare } from './control/declare.ts'
export type { Dns } from './control/dns.ts'
export type { FaultRequest } from './control/faults/fault.ts'
export type { Faults } from './control/faults/index.ts'
export type { Provisioning } from './control/provisioning/index.ts'
export type { ForDomain } from './control/provisioning/script.ts'
export type { JournalFilter, Requests } from './control/requests.ts'
export type { SnapshotOptions } from './control/state.ts'
export type { Clock } from './core/engine/clock.ts'
export { type ManualClock, manualClock, type Time } from './core/engine/manual-clock.ts'
export type { Change, Commit } from './core/operation/collection.ts'
export type { LimitOption, MostOption, RateOption } from './core/operation/limit.ts'
export type {
  Store,
  StoredChange,
  StoredCommit,
  StoredFacts,
  StoredRecord,
  StoredState,
} from './core/operation/store.ts'
export type { RequestBody } from './core/schema/body.ts'
export type { Region } from './core/schema/schema.ts'
export type { Duration } from './core/schema/time.ts'
export type { RunSql, SqlValue } from './core/store/sql.ts'
export { type Atomically, sqlStore } from './core/store/sql-store.ts'
export type { Leftover, LeftoverOptions } from './gateway/direct/initial.ts'
export { createGateway } from './gateway/gateway.ts'
export { GatewayError } from './gateway/gateway-error.ts'
export type { Fetch } from './gateway/http/fetch.ts'
export type { Installed, InstallOptions } from './gateway/http/install.ts'
export type { Delivery, HttpRequest, HttpResponse } from './gateway/http/messages.ts'
export type { Transport } from './gateway/transport.ts'
export type { Gateway } from './gateway/types.ts'
export type {
  ArmedFault,
  DnsRecord,
  FaultSpec,
  JournalEntry,
  JournalFields,
  Snapshot,
  TimelineEntry,
} from './generated/controls.ts'
export type * from './generated/core.ts'
export type { AccountLimits } from './generated/limits.ts'
export type {
  AccountOptions,
  AuthoritySecret,
  ControlOptions,
  GatewayOptions,
  RateLimitOptions,
} from './generated/options.ts'
export type * from './generated/resources.ts'
export type { Outcome } from './service/provisioning/outcomes.ts'
export { type Dialect, ngrok, standard } from './service/resources/dialects.ts'
export type { RouteIds, RouteModule } from './service/resources/route-module.ts'
