// All screens on one screen. They come in one file: it compresses better than
// many, and an upgrade takes away no part of a console that is open. Screens
// that say the same are imported side by side: gzip sees 32 kB at a time.
import { HashRouter, Navigate, useRoutes, type RouteObject } from 'react-router-dom'
import { Route as Worker } from '../screens/worker'
import { Route as Luns } from '../screens/luns'
import { Route as Agents } from '../screens/agents'
import { Route as Dashboard } from '../screens/dashboard'
import { Route as Files } from '../screens/files'
import { Route as Operations } from '../screens/operations'
import { Route as Reconcile } from '../screens/reconcile'
import { Route as Tasks } from '../screens/tasks'
import { Route as Workers } from '../screens/workers'
import { App } from './App'

// A list and no <Routes>: what reads those is half a kilobyte.
const routes: RouteObject[] = [
  {
    element: <App />,
    children: [
      { path: '/', element: <Dashboard /> },
      { path: '/workers', element: <Workers /> },
      { path: '/workers/:id', element: <Worker /> },
      { path: '/agents', element: <Agents /> },
      { path: '/agents/:id/luns', element: <Luns /> },
      { path: '/operations', element: <Operations /> },
      { path: '/tasks', element: <Tasks /> },
      { path: '/tasks/:id', element: <Tasks /> },
      { path: '/reconcile', element: <Reconcile /> },
      { path: '/files/*', element: <Files /> },
      { path: '*', element: <Navigate to="/" replace /> },
    ],
  },
]

const Screens = () => useRoutes(routes)

export function Console() {
  return (
    <HashRouter>
      <Screens />
    </HashRouter>
  )
}
