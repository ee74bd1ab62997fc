import { render } from 'preact'
import { App } from './app.tsx'
import { Page } from './page.ts'

render(<App page={new Page()} />, document.body)
