import { describe, expectTypeOf, test } from 'vitest'
import type { accessErrors, ErrorKeysOf } from '../../src/control/control.ts'
import type { ControlMembers, controls } from '../../src/controls.ts'
import type { Direct } from '../../src/direct/direct-api.ts'
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
import type { ngrokFamilies } from '../../src/ngrok/families.ts'
import type { accountErrors } from '../../src/operation/account.ts'
import type { declared } from '../../src/resources/declarations.ts'
import type { ErrorKeyIn, families, NameIn } from '../../src/resources/index.ts'
import type { InitialOf } from '../../src/resources/initial.ts'
import type { general } from '../../src/schema/general-errors.ts'
import type { Frozen } from '../../src/schema/values.ts'

// The types that people read are made by a script; the table of families says what they must be.
type Families = typeof families
type Table = Direct<Families>
type OfNgrok = typeof ngrokFamilies

/** The fields of a body without those that nobody can give. */
type Offered<Body> = Body extends object
  ? { [Field in keyof Body as Body[Field] extends undefined ? never : Field]: Body[Field] }
  : Body

type Read<Calls> = { readonly [Verb in keyof Calls]: ArgumentsOf<Calls[Verb]> }
type ArgumentsOf<Call> = Call extends (...args: infer Args) => unknown ? PlainArguments<Args> : never
type PlainArguments<Args extends readonly unknown[]> = {
  readonly [Place in keyof Args]: Offered<Frozen<Plain<Args[Place]>>>
}

type Answers<Calls> = {
  readonly [Verb in keyof Calls]: Calls[Verb] extends (...args: never[]) => infer Answer ? Plain<Answer> : never
}

/** A type with the fields of all that it is made of, at every depth. A text of which some values are named is any text. */
type Plain<T> = T extends object ? { [Field in keyof T]: Plain<AnyText<T[Field]>> } : T
type AnyText<T> = [Extract<T, string>] extends [never]
  ? T
  : string & Record<never, never> extends Extract<T, string>
    ? string | Exclude<T, string>
    : T

describe('The types of the families are those of their schemas', () => {
  test('in every body, query and id that a call takes', () => {
    expectTypeOf<{ [Name in keyof Resources]: Read<Resources[Name]> }>().toEqualTypeOf<{
      readonly [Name in keyof Families]: Read<Table[Name]>
    }>()
    expectTypeOf<{ [Name in keyof NgrokResources]: Read<NgrokResources[Name]> }>().toEqualTypeOf<{
      readonly [Name in keyof OfNgrok]: Read<Direct<OfNgrok>[Name]>
    }>()
  })

  test('in every answer', () => {
    expectTypeOf<{ [Name in keyof Resources]: Answers<Resources[Name]> }>().toEqualTypeOf<{
      readonly [Name in keyof Families]: Answers<Table[Name]>
    }>()
    expectTypeOf<{ [Name in keyof NgrokResources]: Answers<NgrokResources[Name]> }>().toEqualTypeOf<{
      readonly [Name in keyof OfNgrok]: Answers<Direct<OfNgrok>[Name]>
    }>()
  })

  test('in what a gateway begins with', () => {
    expectTypeOf<InitialOf<Table>>().toExtend<InitialResources>()
    expectTypeOf<keyof InitialResources>().toEqualTypeOf<keyof Families>()
  })

  test('in the names of operations and the keys of errors', () => {
    expectTypeOf<OperationName>().toEqualTypeOf<NameIn<Families>>()
    type Own = ErrorKeyIn<Families> | keyof typeof declared.errors | keyof typeof accountErrors
    type OfControls = ErrorKeysOf<(typeof controls)[number]> | keyof typeof accessErrors
    expectTypeOf<ErrorKey>().toEqualTypeOf<Own | keyof typeof general | OfControls>()
    expectTypeOf<NameIn<NgrokFamilies>>().toEqualTypeOf<NameIn<OfNgrok>>()
    expectTypeOf<ErrorKeyIn<NgrokFamilies>>().toEqualTypeOf<ErrorKeyIn<OfNgrok>>()
  })

  test('in what tests declare', () => {
    type Declared = Read<GatewayWith<OfNgrok>['declare']>
    expectTypeOf<Read<Ngrok['declare']>>().toEqualTypeOf<Declared>()
    expectTypeOf<Answers<NgrokDeclare>>().toExtend<Answers<Omit<GatewayWith<OfNgrok>['declare'], keyof Declare>>>()
  })
})

describe('The types of the controls', () => {
  test('are those of every control together', () => {
    type NamesOf<C> = C extends { members?(...args: never[]): infer Members } ? keyof Members : never
    expectTypeOf<keyof ControlMembers>().toEqualTypeOf<NamesOf<(typeof controls)[number]>>()
    expectTypeOf<'clock' | 'dns' | 'report' | 'reset' | 'restore' | 'snapshot'>().toExtend<keyof ControlMembers>()
    expectTypeOf<Pick<Gateway, 'dns' | 'faults'>>().toEqualTypeOf<{ readonly dns: Dns; readonly faults: Faults }>()
  })
})
