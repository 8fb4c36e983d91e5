// components/field-issues.tsx
import type { InvalidInput } from 'portico'

export function FieldIssues({ of, path }: { of: object | undefined; path: string }) {
  const { issues = [] } = (of ?? {}) as Partial<InvalidInput>
  return issues.filter((issue) => issue.path === path).map(({ message }) => <p key={message}>{message}</p>)
}
