import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { live } from './api/store'
import { Console } from './app/routes'
import { applyTheme } from './app/theme'
import { BrowsePage } from './screens/files/BrowsePage'
import './styles/index.css'

// The page over /browse/ is the Files screen with real paths and nothing around
// it: it asks nothing of the control plane. It comes in the same file, which a
// browser has already and which compresses better than two.
const files = location.pathname.startsWith('/browse/')
applyTheme()
if (!files) live()
const root = document.getElementById('root')
if (root !== null) createRoot(root).render(<StrictMode>{files ? <BrowsePage /> : <Console />}</StrictMode>)
