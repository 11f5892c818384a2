// Why a file cannot be read, in words.
import { codeOf } from '@svc/contracts/caught';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'you are not allowed to read it',
  EISDIR: 'it is a folder',
  ELOOP: 'its path is a loop of links',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'the file does not exist',
  ENOTDIR: 'a part of its path is a file',
  EPERM: 'you are not allowed to read it',
};

/** The reason of an error of Node, or undefined if it is another one. */
export function whyUnreadable(error: unknown): string | undefined {
  return REASONS[codeOf(error)];
}
