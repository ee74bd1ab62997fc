import { declareErrors, entry } from '../../core/schema/errors.ts'

export const errors = declareErrors({
  agent_unavailable: entry(
    90460,
    400,
    (it: { dialect: string }) =>
      `This gateway has the dialect ${it.dialect} and no families of agents. Create it with createNgrok of fauxgate/ngrok, or serve it with --dialect ngrok.`,
  ),
  agent_tunnel_taken: entry(90461, 400, (it: { name: string }) => `tunnel ${it.name} already exists`),
})
