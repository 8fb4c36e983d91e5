// components/field-issues.tsx
import type { InvalidInput } from 'portico'

interface FieldIssuesProps {
  /** What useActionState returned: the result of the action, or the issues. */
  of: object | undefined
  /** The field; '' for the issues of the whole form. */
  path: string
}

export function FieldIssues({ of, path }: FieldIssuesProps) {
  const { issues = [] } = (of ?? {}) as Partial<InvalidInput>
  return issues
    .filter((issue) => issue.path === path)
    .map(({ message }) => <p key={message}>{message}</p>)
}
