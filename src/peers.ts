// Optional peers: packages that an application installs itself if it uses what needs them.

/**
 * Handles the failure of an `import()` of packages: throws an error with the line that installs
 * them, such as `npm install jose`, if one of those is not installed, and otherwise the failure.
 */
export function missingPeer(user: string, line: string) {
  return (error: unknown): never => {
    const { code, message } = Object(error) as NodeJS.ErrnoException
    // a peer that is there may lack a package of its own
    const isMissing = line.split(' ').some(name => message.includes(`'${name}'`))
    if (code !== 'ERR_MODULE_NOT_FOUND' || !isMissing) throw error
    throw new Error(`${user} needs packages that are not installed: ${line}`, { cause: error })
  }
}
