import { declareErrors, entry } from '../../core/schema/errors.ts'

export const errors = declareErrors({
  agent_unavailable: entry(
    90460,
    400,
    'This gateway uses the {dialect} dialect, which has no agents. Create it with createNgrok from fauxgate/ngrok, or serve it with --dialect ngrok.',
  ),
  agent_tunnel_taken: entry(90461, 400, 'tunnel {name} already exists'),
})
