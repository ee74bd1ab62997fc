/** The `Date` members that depend on the process's time zone, except those for logs, such as `toString`. */
const LOCAL_MEMBERS = [
  'getFullYear',
  'getMonth',
  'getDate',
  'getDay',
  'getHours',
  'setFullYear',
  'setMonth',
  'setDate',
  'setHours',
  'toDateString',
  'toLocaleString',
  'toLocaleDateString',
  'toLocaleTimeString',
] as const

/** The local times used by a test's code. */
export interface LocalTimes {
  /** The members of `Date` that depended on the time zone, such as `getHours`. */
  readonly used: ReadonlySet<string>
  /** The offset of the most recent local time, in minutes, or 0 if there was none. */
  readonly offset: number
  /** True if code parsed a time without a zone. */
  readonly hasParsed: boolean
}

/** The `Date` class of fake timers. Nothing else uses it, so its members may be replaced. */
type FakeDate = typeof Date

/** Returns a `Date` for the code under test that records its uses of local times that differ from UTC. */
export function watchLocalTimes(fake: FakeDate): { readonly dates: FakeDate; readonly times: LocalTimes } {
  const used = new Set<string>()
  let offset = 0
  let hasParsed = false
  const note = (name: string, date: Date) => {
    const minutes = -date.getTimezoneOffset()
    if (!minutes) return
    offset = minutes
    used.add(name)
  }
  for (const name of LOCAL_MEMBERS) {
    const member = fake.prototype[name] as (...args: unknown[]) => unknown // Each takes different arguments.
    const value = function (this: Date, ...args: unknown[]) {
      const options = name.startsWith('toLocale') ? (args[1] as Intl.DateTimeFormatOptions | undefined) : undefined // Options come second.
      if (options?.timeZone === undefined) note(name, this)
      return Reflect.apply(member, this, args)
    }
    Object.defineProperty(fake.prototype, name, { value, writable: true, configurable: true })
  }
  const { parse } = fake
  const noteParse = (name: string, text: unknown) => {
    // With "Z" added, only a text without a zone parses. The text was a local time if the result differs.
    const inUtc = typeof text === 'string' ? parse(`${text}Z`) : Number.NaN
    if (Number.isNaN(inUtc) || parse(String(text)) === inUtc) return
    hasParsed = true
    note(name, new fake(inUtc))
  }
  Object.defineProperty(fake, 'parse', {
    value: (text: string) => {
      noteParse('Date.parse', text)
      return parse(text)
    },
    writable: true,
    configurable: true,
  })
  const construct: ProxyHandler<FakeDate>['construct'] = (target, args, newTarget) => {
    const date = Reflect.construct(target, args, newTarget) as Date // The target is a class of dates.
    if (args.length > 1) note('new Date', date)
    else noteParse('new Date', args[0])
    return date
  }
  return {
    dates: new Proxy(fake, { construct }),
    times: {
      used,
      get offset() {
        return offset
      },
      get hasParsed() {
        return hasParsed
      },
    },
  }
}
