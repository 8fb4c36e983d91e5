// The version of what a renderer makes (C2): equal versions give equal pages.

interface VersionParts {
  buildId: string
  /** Hash of the public values that the renderer was started with (O8). */
  publicEnvHash: string
  /** Hash of the pages that the build has rendered (X9); absent without any. */
  prerendered?: string | undefined
  basePath: string
}

/** For example `1f3a9c02.4be1d7/docs`: a build id contains no dot. */
export function versionOf({ buildId, publicEnvHash, prerendered, basePath }: VersionParts): string {
  return `${buildId}.${publicEnvHash}${prerendered === undefined ? '' : `-${prerendered}`}${basePath}`
}

/** The build id of a version. */
export function buildOfVersion(version: string): string {
  return version.slice(0, version.indexOf('.'))
}
