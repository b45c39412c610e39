// SPDX-License-Identifier: Apache-2.0

package hostexec

import (
	"context"
	"errors"
)

// notFoundCode is the exit code of nsenter, and of a shell, if the program does not exist.
const notFoundCode = 127

// host runs commands in the mount namespace of process 1.
type host struct{ local }

// Host runs the host's own programs: in the mount namespace of process 1, but otherwise in this process's environment.
// In a container this needs hostPID and CAP_SYS_ADMIN; nsenter comes from the container's image. The host's zpool and
// zfs always match the host's kernel module.
func Host() Runner {
	path := append(imagePath(), "/run/current-system/sw/bin") // NixOS keeps its programs there
	return host{local{prefix: []string{"nsenter", "-t", "1", "-m", "--"}, path: path}}
}

// Run runs the command like local's Run. If nsenter does not find the program, that is a *NotFoundError as well.
func (h host) Run(ctx context.Context, cmd Cmd) (Result, error) {
	result, err := h.local.Run(ctx, cmd)
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == notFoundCode {
		return result, &NotFoundError{Args: cmd.Args, Err: exit}
	}
	return result, err
}
