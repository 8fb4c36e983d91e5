// components/github-button.tsx
import { authClient } from '../lib/auth-client.ts'

const request = { provider: 'github', callbackURL: '/notes' } as const

export function GithubButton() {
  return (
    <button type="button" onClick={() => authClient.signIn.social(request)}>
      Sign in with GitHub
    </button>
  )
}
