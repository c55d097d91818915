// All screens on one screen. They come in one file: it compresses better than
// many, and an upgrade takes away no part of a console that is open. Screens
// that say the same are imported side by side: gzip sees 32 kB at a time.
import { HashRouter, Navigate, Route, Routes } from 'react-router-dom'
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

export function Console() {
  return (
    <HashRouter>
      <Routes>
        <Route element={<App />}>
          <Route path="/" element={<Dashboard />} />
          <Route path="/workers" element={<Workers />} />
          <Route path="/workers/:id" element={<Worker />} />
          <Route path="/agents" element={<Agents />} />
          <Route path="/agents/:id/luns" element={<Luns />} />
          <Route path="/operations" element={<Operations />} />
          <Route path="/tasks" element={<Tasks />} />
          <Route path="/tasks/:id" element={<Tasks />} />
          <Route path="/reconcile" element={<Reconcile />} />
          <Route path="/files/*" element={<Files />} />
          <Route path="*" element={<Navigate to="/" replace />} />
        </Route>
      </Routes>
    </HashRouter>
  )
}
