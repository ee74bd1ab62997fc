export { Account, default, Sandbox } from 'fauxgate/sandbox'
