/**
 * The parts that fauxgate's own families share in addition to the kit. Only those families may import this folder, which a lint rule
 * enforces.
 *
 * @module
 */
export { compileSelector } from '../../core/filter/filter.ts'
export { listLimitErrors, requirePermitted, requireWithin } from '../../core/operation/account.ts'
export type { Due, Index, Indexed } from '../../core/operation/collection.ts'
export { column, columns, defineBodies } from '../../core/operation/columns.ts'
export type { OtherNames } from '../../core/operation/dialect-body.ts'
export type { EventRules, RecordedChange } from '../../core/operation/events.ts'
export type {
  Declaration,
  DeclarationEnd,
  ErrorsByKey,
  KeyRules,
  KeyState,
  OtherRecords,
  ReportRelation,
  RulesBefore,
} from '../../core/operation/family.ts'
export type {
  AccountLimit,
  FieldValues,
  LimitError,
  LimitFacts,
  LimitsByName,
  Plan,
} from '../../core/operation/limit.ts'
export type { ListInput, ListQuery, Matching, Related } from '../../core/operation/list.ts'
export type { CallOf, Matched, PathIds } from '../../core/operation/operation.ts'
export {
  type Deletion,
  type Reference,
  referenceOf,
  refused,
  requireTargets,
  requireUnnamed,
  type Target,
  targetOf,
} from '../../core/operation/reference.ts'
export type { ReadOperations } from '../../core/operation/resource.ts'
export type { ReadableKind, ResourceKind, ResourceRules } from '../../core/operation/resource-kind.ts'
export type { CommonDialect, RuleOptions as Rules } from '../../core/schema/dialect.ts'
export { emptyUpdate, requireUpdate } from '../../core/schema/empty-update.ts'
export {
  type CatalogueError,
  type FieldError,
  type FieldFacts,
  prefixFields,
  Refusal,
  tooLong,
} from '../../core/schema/errors.ts'
export { type Facts, facts, type JsonFacts } from '../../core/schema/facts.ts'
export { ANY_TEXT, isIdOf, wasMade } from '../../core/schema/ids.ts'
export { oneOfThese } from '../../core/schema/options.ts'
export { instant, made, ownId, scheduledTime, someText } from '../../core/schema/record-schema.ts'
export { type Report, type RuleContext, readBy } from '../../core/schema/rule.ts'
export {
  anyObject,
  blankIsAbsent,
  DESCRIPTION,
  enabled,
  MAX_DESCRIPTION_BYTES,
  MAX_METADATA_BYTES,
  METADATA,
  REGIONS,
  type Region,
  reference,
  shownAs,
  textOfBytes,
} from '../../core/schema/schema.ts'
export { isOneOf } from '../../core/schema/secret-texts.ts'
export { quoteSecret } from '../../core/schema/text.ts'
export { durationMs, LATEST_TIME, recordedMs } from '../../core/schema/time.ts'
export { isObject, keysOf, lookUp, mapValues, writePath } from '../../core/schema/values.ts'
export { isDnsName } from '../provisioning/dns.ts'
export { job as managementJob, type ManagedDomain } from '../provisioning/managed-domain.ts'
export { takeScripted } from '../provisioning/management.ts'
export { scheduleRenewal, scheduleRetry, startJob } from '../provisioning/transitions.ts'
export { circuitBreaker, circuitBreakerModule } from '../resources/circuit-breaker.ts'
export { compression, compressionModule } from '../resources/compression.ts'
export {
  configurationTarget,
  declare as declareEdge,
  declareMade,
  errors as declarationErrors,
  hasRoute,
  isMissing,
  undeclare,
} from '../resources/declarations.ts'
export { policyErrors, policyMaxima } from '../resources/policy-rules.ts'
export { devDomain, provideDevDomain } from '../resources/reserved-domains/dev-domain.ts'
export { domainDialect, isServiceDomain } from '../resources/reserved-domains/dialect.ts'
export { errors as domainErrors } from '../resources/reserved-domains/errors.ts'
export { type NameError, nameErrors, nameFacts, nameProblem } from '../resources/reserved-domains/names.ts'
export { isDedicated } from '../resources/reserved-domains/places.ts'
export { managementPolicy } from '../resources/reserved-domains/records.ts'
export { findTakenName } from '../resources/reserved-domains/reserved-domains.ts'
export {
  managementView,
  policy as managementPolicyShape,
  policyBody as managementPolicyBody,
  status as managementStatusShape,
} from '../resources/reserved-domains/schemas.ts'
export {
  type EdgeModule,
  edgeModule,
  type HasModule,
  HTTPS_ROUTES,
  type ModuleOwner,
  type ModuleReference,
} from '../resources/route-module.ts'
export { trafficPolicy, trafficPolicyOf } from '../resources/traffic-policy.ts'
export { webhookModule, webhookVerification } from '../resources/webhook-verification.ts'
export { backendErrors, backendTarget, refusedToParent, requireBackend } from '../resources/weighted-backends.ts'
export { SSH_CURVES, SSH_KEY_TYPES, sshAuthority } from '../ssh/authority.ts'
export { ALGORITHMS, keyMaterial, keyTypeOf, readPublicKey } from '../ssh/public-key.ts'
export { requestProblem } from '../x509/csr.ts'
export { chainErrors, errors as uploadErrors } from '../x509/errors.ts'
export { ipBytes } from '../x509/ip.ts'
export { type ClientOrder, issuing } from '../x509/order.ts'
export { readCertificates } from '../x509/uploads.ts'
