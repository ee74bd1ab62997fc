import { describe, expectTypeOf, test } from 'vitest'
import type { accessErrors, ErrorKeysOf } from '../../src/control/control.ts'
import type { ControlMembers, controls } from '../../src/control/controls.ts'
import type { account } from '../../src/core/operation/account.ts'
import type { general } from '../../src/core/schema/general-errors.ts'
import type { Frozen } from '../../src/core/schema/values.ts'
import type { Direct } from '../../src/gateway/direct/direct-api.ts'
import type { Ngrok, NgrokDeclare, NgrokFamilies, NgrokResources } from '../../src/gateway/ngrok.ts'
import type { GatewayWith } from '../../src/gateway/types.ts'
import type {
  Declare,
  Dns,
  ErrorKey,
  Faults,
  Gateway,
  InitialResources,
  OperationName,
  Resources,
} from '../../src/index.ts'
import type { ngrokFamilies } from '../../src/service/ngrok/families.ts'
import type { accountState } from '../../src/service/resources/account-state.ts'
import type { declared } from '../../src/service/resources/declarations.ts'
import type { ErrorKeyIn, families, NameIn } from '../../src/service/resources/index.ts'
import type { InitialOf } from '../../src/service/resources/initial.ts'

// A script generates the types that people read. The table of families determines these types.
type Families = typeof families
type Table = Direct<Families>
type NgrokTable = typeof ngrokFamilies

/** The fields of a body that a caller can set. */
type Settable<Body> = Body extends object
  ? { [Field in keyof Body as Body[Field] extends undefined ? never : Field]: Body[Field] }
  : Body

type Inputs<Calls> = { readonly [Verb in keyof Calls]: ReadArguments<Calls[Verb]> }
type ReadArguments<Call> = Call extends (...args: infer Args) => unknown ? PlainArguments<Args> : never
type PlainArguments<Args extends readonly unknown[]> = {
  readonly [Index in keyof Args]: Settable<Frozen<Plain<Args[Index]>>>
}

type Results<Calls> = {
  readonly [Verb in keyof Calls]: Calls[Verb] extends (...args: never[]) => infer Result ? Plain<Result> : never
}

/** A type with the fields of all its parts, at every depth. An open union of strings becomes `string`. */
type Plain<T> = T extends object ? { [Field in keyof T]: Plain<AnyText<T[Field]>> } : T
type AnyText<T> = [Extract<T, string>] extends [never]
  ? T
  : string & Record<never, never> extends Extract<T, string>
    ? string | Exclude<T, string>
    : T

describe('The types of the families are those of their schemas', () => {
  test('in every body, query and id that a call takes', () => {
    expectTypeOf<{ [Name in keyof Resources]: Inputs<Resources[Name]> }>().toEqualTypeOf<{
      readonly [Name in keyof Families]: Inputs<Table[Name]>
    }>()
    expectTypeOf<{ [Name in keyof NgrokResources]: Inputs<NgrokResources[Name]> }>().toEqualTypeOf<{
      readonly [Name in keyof NgrokTable]: Inputs<Direct<NgrokTable>[Name]>
    }>()
  })

  test('in every result', () => {
    expectTypeOf<{ [Name in keyof Resources]: Results<Resources[Name]> }>().toEqualTypeOf<{
      readonly [Name in keyof Families]: Results<Table[Name]>
    }>()
    expectTypeOf<{ [Name in keyof NgrokResources]: Results<NgrokResources[Name]> }>().toEqualTypeOf<{
      readonly [Name in keyof NgrokTable]: Results<Direct<NgrokTable>[Name]>
    }>()
  })

  test('in the initial resources of a gateway', () => {
    expectTypeOf<InitialOf<Table>>().toExtend<InitialResources>()
    expectTypeOf<keyof InitialResources>().toEqualTypeOf<keyof Families>()
  })

  test('in the names of operations and the keys of errors', () => {
    expectTypeOf<OperationName>().toEqualTypeOf<NameIn<Families>>()
    type AccountKeys = keyof typeof account.errors | keyof typeof accountState.errors
    type FamilyKeys = ErrorKeyIn<Families> | keyof typeof declared.errors | AccountKeys
    type ControlKeys = ErrorKeysOf<(typeof controls)[number]> | keyof typeof accessErrors
    expectTypeOf<ErrorKey>().toEqualTypeOf<FamilyKeys | keyof typeof general | ControlKeys>()
    expectTypeOf<NameIn<NgrokFamilies>>().toEqualTypeOf<NameIn<NgrokTable>>()
    expectTypeOf<ErrorKeyIn<NgrokFamilies>>().toEqualTypeOf<ErrorKeyIn<NgrokTable>>()
  })

  test('in the declarations of tests', () => {
    type DeclareInputs = Inputs<GatewayWith<NgrokTable>['declare']>
    expectTypeOf<Inputs<Ngrok['declare']>>().toEqualTypeOf<DeclareInputs>()
    expectTypeOf<Results<NgrokDeclare>>().toExtend<Results<Omit<GatewayWith<NgrokTable>['declare'], keyof Declare>>>()
  })
})

describe('The types of the controls', () => {
  test('are those of all controls', () => {
    type NamesOf<C> = C extends { members?(...args: never[]): infer Members } ? keyof Members : never
    expectTypeOf<keyof ControlMembers>().toEqualTypeOf<NamesOf<(typeof controls)[number]>>()
    expectTypeOf<'clock' | 'dns' | 'report' | 'reset' | 'restore' | 'snapshot'>().toExtend<keyof ControlMembers>()
    expectTypeOf<Pick<Gateway, 'dns' | 'faults'>>().toEqualTypeOf<{ readonly dns: Dns; readonly faults: Faults }>()
  })
})
