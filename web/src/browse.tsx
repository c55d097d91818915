// The page over /browse/: the Files screen with real paths and nothing around it.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyTheme } from './app/theme'
import { BrowsePage } from './screens/files/BrowsePage'
import './styles/index.css'

applyTheme()
const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <BrowsePage />
    </StrictMode>,
  )
}
