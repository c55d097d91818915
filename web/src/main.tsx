import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { live } from './api/store'
import { Console } from './app/routes'
import { applyTheme } from './app/theme'
import './styles/index.css'

applyTheme()
live()
const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  )
}
