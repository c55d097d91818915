// All screens on one screen. Each is loaded when it is first opened.
import { lazy, type ComponentType } from 'react'
import { HashRouter, Navigate, Route, Routes } from 'react-router-dom'
import { App } from './App'

/** A screen's module exports its route component as Route. */
const screen = (load: () => Promise<{ Route: ComponentType }>) => lazy(async () => ({ default: (await load()).Route }))

const Dashboard = screen(() => import('../screens/dashboard'))
const Workers = screen(() => import('../screens/workers'))
const Worker = screen(() => import('../screens/worker'))
const Agents = screen(() => import('../screens/agents'))
const Luns = screen(() => import('../screens/luns'))
const Operations = screen(() => import('../screens/operations'))
const Tasks = screen(() => import('../screens/tasks'))
const Reconcile = screen(() => import('../screens/reconcile'))
const Files = screen(() => import('../screens/files'))

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
