/**
 * The parts from which tests and fauxgate itself make families. Schemas are those of valibot.
 *
 * @module
 */
export { compileSelector } from '../../core/filter/filter.ts'
export { limitProblem } from '../../core/operation/account.ts'
export { type Collection, collection, type Due, type Index, type Indexed } from '../../core/operation/collection.ts'
export type { OtherNames } from '../../core/operation/dialect-body.ts'
export {
  type Declaration,
  type DeclarationEnd,
  declaration,
  type ErrorsByKey,
  type Families,
  type Family,
  familyOf,
  type KeyRules,
  type KeyState,
  type OtherRecords,
  type ReportRelation,
  type RulesBefore,
  recordsOf,
  sectionReader,
} from '../../core/operation/family.ts'
export {
  type AccountLimit,
  accountLimits,
  type Fields,
  type LimitError,
  type LimitFacts,
  type LimitsByName,
  type Plan,
  tooFast,
  tooMany,
} from '../../core/operation/limit.ts'
export {
  type ListInput,
  type ListQuery,
  type Matching,
  type Page,
  pageAt,
  pageOf,
  type Related,
} from '../../core/operation/list.ts'
export {
  type CallOf,
  errorsOf,
  listOperation,
  type Matched,
  type Operation,
  operation,
  operationWithBody,
  type PathIds,
} from '../../core/operation/operation.ts'
export {
  type ReadOperations,
  type ResourceFamily,
  readOperations,
  required,
  resource,
} from '../../core/operation/resource.ts'
export { described, descriptionOf, newHead, type ResourceRecord, viewHead } from '../../core/operation/resource-head.ts'
export type {
  ReadableKind,
  RecordOf,
  ResourceKind,
  ResourceOf,
  ResourceRules,
} from '../../core/operation/resource-kind.ts'
export type { Transaction } from '../../core/operation/transaction.ts'
export { refTo, type View, type Wire } from '../../core/operation/view.ts'
export { bodyReader } from '../../core/schema/body.ts'
export type { CommonDialect, Rules } from '../../core/schema/dialect.ts'
export { documented, type Facts, facts, type JsonFacts, named } from '../../core/schema/documentation.ts'
export {
  type CatalogueError,
  declareErrors,
  emptyUpdate,
  entry,
  type FieldError,
  type FieldFacts,
  field,
  ofField,
  only,
  type Problem,
  prefixFields,
  problem,
  Refusal,
  refuse,
  tooLong,
} from '../../core/schema/errors.ts'
export { general } from '../../core/schema/general-errors.ts'
export { isIdOf, wasMade } from '../../core/schema/ids.ts'
export { suggestion } from '../../core/schema/nearest.ts'
export { integerFrom, oneOfThese, sentDuration } from '../../core/schema/options.ts'
export {
  count,
  dueTime,
  idOf,
  instant,
  ownId,
  recordHead,
  recordRule,
  scheduledTime,
  seconds,
  sequenceNumber,
  someText,
} from '../../core/schema/record-schema.ts'
export type { RuleContext } from '../../core/schema/rule.ts'
export { type Report, readBy, rule, ruleOnWhole } from '../../core/schema/rule.ts'
export {
  anyObject,
  blankIsAbsent,
  DESCRIPTION,
  description,
  enabled,
  extra,
  LONGEST_DESCRIPTION,
  LONGEST_METADATA,
  METADATA,
  metadata,
  oneOf,
  REGIONS,
  type Region,
  ref,
  reference,
  refusedAs,
  region,
  resourceHead,
  secret,
  secretHere,
  textOfBytes,
  time,
} from '../../core/schema/schema.ts'
export { withoutSecretFields } from '../../core/schema/secret-fields.ts'
export { isOneOf } from '../../core/schema/secret-texts.ts'
export { quote, quoteSecret } from '../../core/schema/text.ts'
export { timeMs, timestamp } from '../../core/schema/time.ts'
export { deepFreeze, type Frozen, isObject } from '../../core/schema/values.ts'
export { circuitBreaker } from '../resources/circuit-breaker.ts'
export { compression } from '../resources/compression.ts'
export { declare as declareEdge, declareMade, undeclare } from '../resources/declarations.ts'
export { POLICY_ACTIONS, policyErrors, policyRule, ruleLimitProblem } from '../resources/policy-rules.ts'
export { addresses } from '../resources/reserved-addrs.ts'
export { devDomain } from '../resources/reserved-domains/dev-domain.ts'
export { domains } from '../resources/reserved-domains/records.ts'
export { type EdgeModule, edgeModule, HTTPS_ROUTES, type ModuleOwner } from '../resources/route-module.ts'
export { trafficPolicy, trafficPolicyOf } from '../resources/traffic-policy.ts'
export { webhookVerification } from '../resources/webhook-verification.ts'
export { backendErrors, requireBackend, requireNoWeightedParent } from '../resources/weighted-backends.ts'
export { requestProblem } from '../x509/csr.ts'
export { ipBytes } from '../x509/ip.ts'
export { type ClientOrder, issuing } from '../x509/order.ts'
