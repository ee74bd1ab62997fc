import { test as base } from 'node:test'
import { describe, expectTypeOf, test } from 'vitest'
import {
  createNgrok,
  type IpPolicy,
  type Ngrok,
  ngrokFamilies,
  type ReservedAddressList,
  type ReservedDomain,
  type Resource,
  type TLSCertificate,
  type TunnelSession,
  type Vault,
} from '../../src/gateway/ngrok.ts'
import { type Clock, createGateway, type ManualClock, manualClock, ngrok } from '../../src/index.ts'
import { timersOn } from '../../src/testing/clock.ts'
import { schedules, survives, testWithGateway } from '../../src/testing/testing.ts'
import { testUsing } from '../../src/testing/vitest.ts'

const office = createNgrok({ clock: manualClock(0), initial: { ipPolicies: [{ description: 'the office' }] } })

describe('A gateway with the families of ngrok', () => {
  test('has the types of their resources and declarations', () => {
    expectTypeOf(office.ipPolicies.list().ip_policies[0]).toEqualTypeOf<IpPolicy | undefined>()
    const endpoints = [{ url: 'https://app.ngrok-free.app' }]
    expectTypeOf(office.declare.tunnelSession({ endpoints })).toEqualTypeOf<TunnelSession>()
    // @ts-expect-error: the URL of an endpoint is a text
    office.declare.tunnelSession({ endpoints: [{ url: 5 }] })
  })

  test('has the types of all responses in one module, with those that every dialect has', () => {
    expectTypeOf(office.reservedDomains.get('rd_1')).toEqualTypeOf<ReservedDomain>()
    expectTypeOf(office.reservedAddrs.list()).toEqualTypeOf<ReservedAddressList>()
    expectTypeOf(office.tlsCertificates.get('cert_1')).toEqualTypeOf<TLSCertificate>()
    expectTypeOf<ReservedDomain>().toExtend<Resource>()
  })

  test('is known by the names of its operations and errors', () => {
    office.faults.add({ operation: 'ip_policies.create', error: 'ip_policy_action' })
    // @ts-expect-error: there is no such operation
    office.faults.add({ operation: 'ip_policies.paint' })
  })

  test('can have only some of these families', () => {
    const { ipPolicies } = ngrokFamilies
    const gateway = createGateway({ dialect: ngrok, families: { ipPolicies } })
    expectTypeOf(gateway.ipPolicies.create({ description: 'the office' }).id).toEqualTypeOf<string>()
    // @ts-expect-error: this gateway has no such family
    gateway.vaults
  })

  test('is the fixture of each test of vitest', () => {
    testUsing(createNgrok)('an office has a policy', ({ gateway }) => {
      expectTypeOf(gateway.ipPolicies.create({ description: 'the office' }).id).toEqualTypeOf<string>()
    })
  })

  test('is passed to the code of survives', () => {
    const code = survives(({ gateway }) => gateway.ipPolicies.create().id, {
      create: createNgrok,
      holds: ({ gateway, value }) => gateway.ipPolicies.get(value).id === value,
    })
    expectTypeOf(code).resolves.toHaveProperty('summary')
    const withClock = survives(({ gateway }) => gateway.ipPolicies.create().id, { create: createNgrok<ManualClock> })
    expectTypeOf(withClock).resolves.toHaveProperty('summary')
    schedules(({ gateway }) => gateway.clock.advance('1s'), { create: createNgrok, faults: 1 })
  })

  test('follows the clock of the fixtures with the option globals', () => {
    testUsing(createNgrok, { globals: true })('on a manual clock', ({ gateway }) => {
      expectTypeOf(gateway).toEqualTypeOf<Ngrok<ManualClock>>()
    })
    testUsing(createNgrok, { globals: { traffic: true }, clock: 'system' })('on the system clock', ({ gateway }) => {
      expectTypeOf(gateway).toEqualTypeOf<Ngrok<Clock>>()
    })
    testWithGateway(base, { create: createNgrok, globals: true, clock: 'system' })(
      'on the system clock of another runner',
      ({ gateway }) => {
        expectTypeOf(gateway.vaults.list().vaults[0]).toEqualTypeOf<Vault | undefined>()
        // @ts-expect-error: the system clock cannot be advanced
        gateway.clock.advance('1s')
      },
    )
    testWithGateway(base, { create: createNgrok, globals: true })('on a manual clock', ({ gateway }) => {
      expectTypeOf(gateway.clock).toEqualTypeOf<ManualClock>()
      expectTypeOf(gateway.vaults.list().vaults[0]).toEqualTypeOf<Vault | undefined>()
    })
  })
})

test('Timers on a clock can be passed as those of the platform', () => {
  const timers = timersOn(office.clock)
  expectTypeOf(timers).toExtend<{ Date: DateConstructor }>()
  expectTypeOf(timers.setTimeout).toBeCallableWith(() => {}, 5)
})

test('A text of a response to which the service may add values takes others, and one whose values are fixed does not', () => {
  const { reservedAddrs, reservedDomains, ipRestrictions, endpoints, abuseReports, httpsEdges } = office
  type Job = NonNullable<ReturnType<typeof reservedDomains.get>['certificate_management_status']>['provisioning_job']
  expectTypeOf<'us-cal-1'>().toExtend<ReturnType<typeof reservedAddrs.get>['region']>()
  expectTypeOf<'OTHER_ERROR' | null>().toExtend<NonNullable<Job>['error_code']>()
  expectTypeOf<'dashboards'>().toExtend<ReturnType<typeof ipRestrictions.get>['type']>()
  expectTypeOf<'served'>().toExtend<ReturnType<typeof endpoints.get>['type']>()
  expectTypeOf<'PROCESSED'>().toExtend<ReturnType<typeof abuseReports.get>['status']>()
  type Tls = NonNullable<ReturnType<typeof httpsEdges.get>['tls_termination']>
  expectTypeOf<'1.4' | null>().toExtend<Tls['min_version']>()
  expectTypeOf<'udp'>().not.toExtend<ReturnType<typeof endpoints.get>['proto']>()
  expectTypeOf<'partial'>().not.toExtend<Tls['terminate_at']>()
})
