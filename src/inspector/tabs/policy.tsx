import { useEffect, useState } from 'preact/hooks'
import { page } from '../page.ts'
import { Text } from '../shared/controls.tsx'

/** The pause in typing, in ms, after which a policy is checked. */
const PAUSE_MS = 250

interface PolicyProblem {
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly message: string
  readonly line: number
  readonly column: number
  readonly hint?: string
}

interface PolicyInputProps {
  label: string
  value: string
  set: (text: string) => void
}

/** A text area for a traffic policy. It shows line numbers and, while the user types, problems. */
export function PolicyInput({ label, value, set }: PolicyInputProps) {
  const [problems, setProblems] = useState<readonly PolicyProblem[]>([])
  const [top, setTop] = useState(0)
  useEffect(() => {
    if (value.trim() === '') return setProblems([])
    let isOld = false
    const check = async () => {
      const found = await page.connection.control<PolicyProblem[]>('POST', '/policy/check', { policy: value })
      if (!isOld) setProblems(found)
    }
    const timer = setTimeout(() => void check().catch(() => setProblems([])), PAUSE_MS)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [value])
  // Only the text area scrolls.
  const follow = ({ target }: Event) => setTop((target as HTMLElement).scrollTop)
  const toneOf = (line: number) => problems.find((each) => each.line === line)?.severity
  const numbers = value.split('\n').map((_, at) => at + 1)
  return (
    <>
      <div class="policy" onScrollCapture={follow}>
        <div aria-hidden="true">
          <div style={{ marginTop: -top }}>
            {numbers.map((line) => (
              <div key={line} class={TONES[toneOf(line) ?? 'none']}>
                {line}
              </div>
            ))}
          </div>
        </div>
        <Text
          label={label}
          rows={Math.min(Math.max(numbers.length + 1, 6), 24)}
          placeholder="YAML"
          value={value}
          set={set}
        />
      </div>
      <ul class="problems" aria-live="polite">
        {problems.map(({ severity, code, message, line, column, hint }) => (
          <li key={`${line}:${column}${message}`} class={TONES[severity]}>
            {line}:{column} {message} {hint} <span class="dim">{code}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

const TONES = { error: 'bad', warning: 'busy', none: 'dim' }
