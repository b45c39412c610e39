// SPDX-License-Identifier: Apache-2.0

package result

// Features is what the mounted filesystem of a variant does when it is asked to, as the kernel answered; nil where that is not known.
type Features struct {
	// UserXattr is an extended attribute of the user's, PosixACL an access control list that gives another user rights.
	UserXattr *bool `json:"userXattr,omitempty"`
	PosixACL  *bool `json:"posixACL,omitempty"`
	// Reflink is a copy of a file that shares its blocks (FICLONE).
	Reflink *bool `json:"reflink,omitempty"`
	// TemporaryFile is a file without a name (O_TMPFILE).
	TemporaryFile *bool `json:"temporaryFile,omitempty"`
	// PunchHole is freeing a part of a file in its middle.
	PunchHole *bool `json:"punchHole,omitempty"`
	// DirectIO says that a file can be opened and read with O_DIRECT, which does not say that a cache is passed by.
	DirectIO *bool `json:"directIO,omitempty"`
}
